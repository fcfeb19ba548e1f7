"""Which config a command is about, and where that config's runtime keeps its things."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import attrs
import click

from groupx._channel import CHANNEL
from groupx.cli.failures import Refused
from groupx.domain.config import Config
from groupx.domain.config_parsing import SMALLEST_CONFIG, parse_config
from groupx.domain.paths import (
    CONFIG_NAME,
    DATA_NAME,
    Paths,
    choose_config,
    data_directory,
    demo_directory,
    misplaced_database,
    misplaced_file,
    resolve_paths,
)
from groupx.setup.config_file import read_config_file

Misplaced = Callable[[str, Paths, Callable[[str], str]], str | None]
F = TypeVar("F", bound=Callable[..., Any])


def config_options(function: F) -> F:
    """`--config` and `--demo`, for every command that is about one runtime."""
    function = click.option("--demo", is_flag=True, help="The demo room, with three demo agents.")(
        function
    )
    return click.option(
        "--config", metavar="FILE", help="The config; else GROUPX_CONFIG, else ./groupx.json."
    )(function)


@attrs.frozen(kw_only=True)
class Place:
    """A config file by its canonical path; it may not exist."""

    config_path: Path
    chosen_by: str

    @property
    def data(self) -> Path:
        """Its data directory."""
        return Path(data_directory(str(self.config_path)))

    @property
    def argv(self) -> list[str]:
        """The options that name this config to another `groupx`."""
        return ["--config", str(self.config_path)]

    @property
    def needs_setup(self) -> bool:
        """Whether there is no file, in a folder where one could be. Refused without the folder."""
        if self.config_path.exists():
            return False
        if not self.config_path.parent.is_dir():
            raise Refused(
                f"there is no folder {self.config_path.parent} for the config (by "
                f"{self.chosen_by}); nothing was started. Make it, or name another config."
            )
        return True

    def load(self) -> tuple[Config, Paths]:
        """Read the config. ConfigError when it is wrong, Refused when there is none.

        Refused too when the database would lie where it is lost.
        """
        from groupx.adapters.registry import ADAPTERS

        try:
            data = read_config_file(self.config_path)
        except FileNotFoundError:
            raise Refused(self._missing()) from None
        except OSError as error:
            raise Refused(
                f"{self.config_path} cannot be read ({error.strerror}); nothing was started."
            ) from None
        config = parse_config(data, path=str(self.config_path), drivers=ADAPTERS)
        paths = self.paths(config.storage_path)
        if misplaced := misplaced_database(paths, os.path.realpath):
            raise Refused(
                f"the database would be {paths.database} (by {paths.choice.rule}), and that is "
                f"{misplaced}; nothing was started. Give it a place of its own."
            )
        return config, paths

    def paths(self, storage_path: str | None = None) -> Paths:
        """Every place of its runtime."""
        return resolve_paths(
            env=os.environ,
            config_path=str(self.config_path),
            storage_path=storage_path,
            channel=CHANNEL,
        )

    def _missing(self) -> str:
        return (
            f"there is no config at {self.config_path} (by {self.chosen_by}); "
            "nothing was started.\n"
            f"The smallest {CONFIG_NAME} is\n\n  {SMALLEST_CONFIG}\n\n"
            "Make one in the browser with `groupx run`, or look around first with three demo "
            "agents:\n\n  groupx run --demo"
        )


def refuse_misplaced(target: Path, place: Place, misplaced: Misplaced = misplaced_file) -> None:
    """Refused when `target` would lie among the files of `place`, or of another room's."""
    folders = (folder for folder in Path(os.path.realpath(target)).parents)
    owners = [folder.parent for folder in folders if folder.name == DATA_NAME]
    others = (Place(config_path=owner / CONFIG_NAME, chosen_by="") for owner in owners)
    for paths in (place.paths(), *(other.paths() for other in others)):
        if wrong := misplaced(str(target), paths, os.path.realpath):
            raise Refused(f"{target} is {wrong}; nothing was made. Choose another place for it.")


def find_place(*, config: str | None, demo: bool) -> Place:
    """The config that the options, the environment or the folder name."""
    if demo:
        if config is not None:
            raise Refused("--demo has a config of its own: use either --demo or --config.")
        path, rule = f"{demo_folder()}/{CONFIG_NAME}", "--demo"
    else:
        path, rule = choose_config(option=config, env=os.environ, working_dir=os.getcwd())
    return Place(config_path=Path(os.path.realpath(path)), chosen_by=rule)


def demo_folder() -> str:
    """Where the demo lives."""
    try:
        home = str(Path.home())
    except RuntimeError:
        raise Refused(
            "there is no home folder to keep the demo in; set HOME or XDG_DATA_HOME."
        ) from None
    return demo_directory(os.environ, home)
