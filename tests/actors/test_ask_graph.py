"""Asks go down only: the graph of who asks whom, read from constructor signatures, has no cycle."""

import importlib
import inspect
import pkgutil
import typing

import groupx.actors
from groupx.actors import messages
from groupx.actors.mailbox import ActorRef

ANSWERS = {
    "ToStore": "StoreWriterActor",
    "ToContext": "ContextEngineActor",
    "ToAgents": "AgentsSupervisor",
    "ToBroker": "BrokerActor",
    "ToAssistant": "AssistantActor",
}


def is_actor(name: str) -> bool:
    return name.endswith(("Actor", "Supervisor", "Counter"))


def classes() -> dict[str, type]:
    names = [m.name for m in pkgutil.iter_modules(groupx.actors.__path__, "groupx.actors.")]
    return {
        name: value
        for module in names
        for name, value in vars(importlib.import_module(module)).items()
        if inspect.isclass(value) and value.__module__ == module
    }


def refs_of(annotation: object) -> set[str]:
    """The addresses that a value of this type can be asked through."""
    if typing.get_origin(annotation) is ActorRef:
        return {typing.get_args(annotation)[0].__name__}
    return {ref for part in typing.get_args(annotation) for ref in refs_of(part)}


def asked_by(cls: type, seen: frozenset[type] = frozenset()) -> set[str]:
    """The addresses in its constructor, and in those of the records that it is given."""
    if cls in seen:
        return set()
    known = [cls for name, cls in classes().items() if not is_actor(name)]
    asked: set[str] = set()
    for name, annotation in typing.get_type_hints(cls.__init__).items():
        if name != "return":
            asked |= refs_of(annotation)
            for part in (annotation, *typing.get_args(annotation)):
                if part in known:
                    asked |= asked_by(part, seen | {cls})
    return asked


def graph() -> dict[str, set[str]]:
    return {
        name: {ANSWERS[address] for address in asked_by(cls)}
        for name, cls in classes().items()
        if is_actor(name)
    }


def test_every_address_has_an_actor_that_answers_it() -> None:
    addresses = {name for name in vars(messages) if name.startswith("To") and name[2:3].isupper()}
    assert addresses == set(ANSWERS)
    assert set(ANSWERS.values()) <= set(classes())


def test_the_graph_is_what_the_architecture_says() -> None:
    found = graph()
    assert found["BrokerActor"] == {"StoreWriterActor", "AgentsSupervisor"}
    assert found["ContextEngineActor"] == {"StoreWriterActor"}
    assert found["AgentActor"] == {"StoreWriterActor", "ContextEngineActor"}
    assert found["AssistantActor"] == {"StoreWriterActor"}
    assert found["StoreWriterActor"] == set()
    assert found["EventHubActor"] == set()


def test_nobody_can_wait_for_himself() -> None:
    edges = graph()

    def reachable(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join((*path, name))
        for asked in edges.get(name, set()):
            reachable(asked, (*path, name))

    for name in edges:
        reachable(name, ())
