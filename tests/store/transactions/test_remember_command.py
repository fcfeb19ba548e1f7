import attrs

from groupx.domain.commands import RememberCommand
from groupx.store.transactions.remember_command import remember_command


def test_the_first_answer_stands(ledger, refused):
    key = ledger.key("agent.restart", actorId="agent:a")
    command = RememberCommand(key=key, result={"accepted": True})
    assert ledger.write(remember_command, command).fresh
    again = ledger.write(remember_command, attrs.evolve(command, result={"accepted": False}))
    assert not again.fresh
    assert again.result == {"accepted": True}
    changed = attrs.evolve(key, request={"actorId": "agent:b"})
    refused("CLIENT_COMMAND_CONFLICT", remember_command, attrs.evolve(command, key=changed))
