"""Where values live."""

from __future__ import annotations

from nbgrad.graph.dtypes import float32
from nbgrad.graph.spec import HOST, Spec, place_name


def test_a_spec_at_a_place_is_one_object() -> None:
    spec = Spec.of((2, 3), float32)
    assert spec.place == HOST
    assert spec.on(HOST) is spec
    assert spec.on(1) is spec.on(1)
    assert spec.on(1) is not spec.on(2)
    assert spec.on(1).plain is spec
    assert spec.on(1).on(2) is spec.on(2)
    assert spec.on(2).on(HOST) is spec


def test_places_have_the_names_of_devices() -> None:
    assert place_name(HOST) == "cpu"
    assert place_name(1) == "cuda:0"
    assert repr(Spec.of((2,), float32).on(2)) == "f32[2]@cuda:1"
