from groupx.store.event_keys import (
    observations_of,
    observed_key,
    raised_key,
    raises_of,
    stop_key,
    stops_of,
)

ROOT, OTHER = "corr_1", "corr_10"


def within(keys, key):
    first, end = keys
    return first <= key < end


def test_keys_are_spelled_as_in_the_ledgers_that_exist():
    assert stop_key(ROOT, "hopCount", 2) == "loop:corr_1:hopCount:2"
    assert raised_key(ROOT, "hopCount", "event_1") == "raised:corr_1:hopCount:event_1"
    assert observed_key("turn_1", 3) == "watch:turn_1:3"


def test_a_range_holds_its_keys_and_no_others():
    one, all_of_root = stops_of(ROOT, "hopCount"), stops_of(ROOT)
    for number in (1, 9, 10):
        assert within(one, stop_key(ROOT, "hopCount", number))
        assert within(all_of_root, stop_key(ROOT, "rootTurns", number))
        assert within(observations_of("turn_1"), observed_key("turn_1", number))
    assert within(raises_of(ROOT, "hopCount"), raised_key(ROOT, "hopCount", "event_1"))

    assert not within(one, stop_key(ROOT, "rootTurns", 1))
    assert not within(one, stop_key(ROOT, "hopCounts", 1))
    assert not within(one, raised_key(ROOT, "hopCount", "event_1"))
    assert not within(all_of_root, stop_key(OTHER, "hopCount", 1))
    assert not within(raises_of(ROOT, "hopCount"), raised_key(OTHER, "hopCount", "event_1"))
    assert not within(observations_of("turn_1"), observed_key("turn_10", 1))
