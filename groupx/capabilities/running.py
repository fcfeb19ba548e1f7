"""One run: every case of the table against one program, each within its time."""

import platform
import secrets
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath

import attrs
import trio

import groupx
from groupx.adapters.contract import Adapter, AdapterStartError, SessionFacts, SessionProfile
from groupx.capabilities.cases import CASES, HANDSHAKE, Case
from groupx.capabilities.evidence import Evidence, Subject
from groupx.capabilities.labels import Label, Status, label_of
from groupx.capabilities.redaction import Redactor
from groupx.capabilities.report import CaseReport, RunReport, check, sealed, verdict
from groupx.capabilities.stage import CaseFailed, Finding, Stage
from groupx.capabilities.transcript import Transcript
from groupx.domain.text import excerpt, without_surrogates
from groupx.domain.times import iso_from_ms
from groupx.process.spawner import Spawner

RUN_SECONDS = 1200.0
MAX_DETAIL = 300
MAX_NAME = 60
"""Characters of a program's name, and of its version, in a report."""
OVER = "the run's time was over"
_CLAIMS = frozenset({Label.DOCUMENTED, Label.ADVERTISED, Label.UNSUPPORTED})


@attrs.frozen(kw_only=True)
class RunPlan:
    """What is run, and of which program."""

    adapter: Adapter
    profile: SessionProfile
    """Its `run_dir` is not used: the run makes a folder of its own."""
    redactor: Redactor
    now_ms: Callable[[], int]
    model_turns: bool = False
    version: str | None = None
    """For a program that does not tell its own."""
    note: str = ""
    """What a reader of the report must know, such as which model answered."""
    directives: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """See Stage."""
    seconds: float = RUN_SECONDS
    cases: tuple[Case, ...] = CASES
    on_case: Callable[[CaseReport], None] = lambda _: None


async def run(plan: RunPlan, spawner: Spawner) -> RunReport:
    """Play the cases and report; nothing is claimed that the evidence does not prove."""
    with tempfile.TemporaryDirectory(prefix="groupx-conformance-") as folder:
        return await _Run(plan, spawner, folder).report()


class _Run:
    def __init__(self, plan: RunPlan, spawner: Spawner, folder: str) -> None:
        self._plan = plan
        profile = attrs.evolve(plan.profile, run_dir=folder)
        self._stage = Stage(
            adapter=plan.adapter, spawner=spawner, profile=profile, directives=plan.directives
        )
        self._run_id = secrets.token_hex(8)
        self._probed: str | None = None
        self._facts: SessionFacts | None = None
        self._deadline = trio.current_time() + plan.seconds

    async def report(self) -> RunReport:
        plan, started_at = self._plan, self._now()
        await self._probe()
        cases: list[CaseReport] = []
        for case in plan.cases:
            cases.append(await self._case(case, self._reason_to_skip(case, cases)))
            plan.on_case(cases[-1])
        made = RunReport(
            run_id=self._run_id,
            started_at=started_at,
            ended_at=self._now(),
            groupx_version=groupx.__version__,
            system=f"{platform.system()} {platform.machine()}",
            subject=self._subject(self._facts),
            model_turns=plan.model_turns,
            note=plan.note,
            cut_short=any(case.detail == OVER for case in cases),
            cases=tuple(cases),
        )
        report = sealed(made)
        check(report)
        return report

    async def _probe(self) -> None:
        found = await self._plan.adapter.probe(self._stage.profile, self._stage.spawner)
        self._probed = found.version

    def _reason_to_skip(self, case: Case, before: Iterable[CaseReport]) -> str | None:
        if any(done.case == HANDSHAKE.name and done.status is not Status.PASSED for done in before):
            return "it could not be started"
        if case.needs_model and not self._plan.model_turns:
            return "needs --model-turns"
        if self._is_over():
            return OVER
        return None

    async def _case(self, case: Case, skip: str | None) -> CaseReport:
        if skip is not None:
            return self._reported(case, Finding(Status.SKIPPED, skip), None)
        transcript = Transcript(self._plan.redactor)
        finding = await self._play(case, transcript)
        self._facts = self._facts or transcript.facts
        finding = self._of_one_program(finding, transcript.facts)
        detail = self._plan.redactor.text(without_surrogates(" ".join(finding.detail.split())))
        finding = attrs.evolve(finding, detail=excerpt(detail, MAX_DETAIL))
        transcript.judged(verdict(finding.status, finding.detail))
        return self._reported(case, finding, transcript)

    def _of_one_program(self, finding: Finding, facts: SessionFacts | None) -> Finding:
        """The finding, or why what was seen cannot be kept as evidence of the run's program."""
        run = self._subject(self._facts)
        seen = self._subject(facts) if facts else run
        if seen != run:
            return Finding(
                Status.FAILED,
                f"It calls itself {seen.program} {seen.version} here, and {run.program} "
                f"{run.version} when it was greeted first, so nothing that it shows is evidence "
                "of one program. Name one version of it in --command.",
            )
        if finding.status is Status.PASSED and not run.version:
            return Finding(
                Status.FAILED,
                "The program does not tell its version, so nothing that it shows can be kept as "
                "evidence. Give it with --program-version.",
            )
        return finding

    async def _play(self, case: Case, transcript: Transcript) -> Finding:
        finding = None
        deadline = min(trio.current_time() + case.seconds, self._deadline)
        with trio.CancelScope(deadline=deadline):
            try:
                finding = await case.play(self._stage, transcript)
            except (CaseFailed, AdapterStartError) as error:
                words = error.message if isinstance(error, AdapterStartError) else str(error)
                finding = Finding(Status.FAILED, words)
        if finding is None and self._is_over():
            finding = Finding(Status.SKIPPED, OVER)
        if finding is None:
            finding = Finding(Status.FAILED, f"It was not over within {case.seconds:g} s.")
        return finding

    def _reported(self, case: Case, finding: Finding, seen: Transcript | None) -> CaseReport:
        label = label_of(finding.status, needs_model=case.needs_model, claimed=self._claimed(case))
        return CaseReport(
            case=case.name,
            capability=case.capability,
            needs_model=case.needs_model,
            status=finding.status,
            label=label,
            detail=finding.detail,
            milliseconds=seen.milliseconds if seen else 0,
            evidence=self._evidence(case, seen) if seen and seen.lines else None,
        )

    def _is_over(self) -> bool:
        return trio.current_time() >= self._deadline

    def _claimed(self, case: Case) -> Label:
        said = self._facts.capabilities.get(case.fact or "") if self._facts else None
        return Label(said) if said in _CLAIMS else case.claimed

    def _evidence(self, case: Case, seen: Transcript) -> Evidence:
        facts = seen.facts or self._facts
        argv = (
            facts.argv if facts else (self._stage.profile.command or (self._plan.adapter.driver,))
        )
        return Evidence(
            run_id=self._run_id,
            case=case.name,
            at=self._now(),
            subject=self._subject(self._facts),
            argv=self._plan.redactor.argv(argv),
            observation=seen.lines,
        )

    def _subject(self, facts: SessionFacts | None) -> Subject:
        adapter, profile = self._plan.adapter, self._stage.profile
        command = profile.command or (adapter.driver,)
        named = facts.program_name if facts else None
        told = facts.program_version if facts else None
        return Subject(
            driver=adapter.driver,
            program=_name(named or PurePath(command[0]).name),
            version=_name(told or self._plan.version or self._probed or "") or None,
            profile=" ".join(
                (profile.mode or "driver's own mode", *self._plan.redactor.argv(profile.args))
            ),
        )

    def _now(self) -> str:
        return iso_from_ms(self._plan.now_ms())


def _name(text: str) -> str:
    return excerpt(without_surrogates(" ".join(text.split())), MAX_NAME)
