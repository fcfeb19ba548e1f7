"""What a run says of itself: a login link at a terminal only, and one window for one start."""

from pathlib import Path

from groupx.cli.announcing import Announcer
from groupx.cli.place import Place
from groupx.domain.config_parsing import parse_config

LINK = "http://127.0.0.1:4310/login?code=once"


class Windows:
    """Counts what would be opened."""

    def __init__(self) -> None:
        self.pages: list[str] = []

    def open(self, page: Path) -> None:
        self.pages.append(page.read_text())


def test_the_setup_and_then_the_room_open_one_window(tmp_path: Path, capsys):
    place = Place(config_path=tmp_path / "groupx.json", chosen_by="")
    paths = place.paths()
    Path(paths.open_page).parent.mkdir(parents=True)
    data = b'{"agents": {"ada": {"driver": "demo", "name": "Ada", "cwd": "."}}}'
    config = parse_config(data, path=str(place.config_path), drivers=("demo",))
    for at_terminal in (True, False):
        windows = Windows()
        announcer = Announcer(at_terminal, windows)  # type: ignore[arg-type]
        announcer.setting_up(paths, 4310, LINK)
        setup = capsys.readouterr().out
        announcer.ready(config, paths, 4310, LINK)
        room = capsys.readouterr().out
        assert "http://127.0.0.1:4310/" in setup
        assert "http://127.0.0.1:4310/" in room
        assert (LINK in setup, LINK in room, "Ada" in room) == (at_terminal,) * 3
        assert len(windows.pages) == int(at_terminal)
        assert ("nothing is written before you save" in setup) == at_terminal
