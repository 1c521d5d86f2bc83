from __future__ import annotations

import nbgrad as nb

nn = nb.nn
F = nn.functional


def test_modules_are_their_functions_with_their_arguments() -> None:
    nb.manual_seed(1)
    scores, classes = nb.randn(5, 3), nb.tensor([0, 1, 2, 1, 0])
    weight = nb.tensor([1.0, 2.0, 3.0])
    log_p = scores.log_softmax(1)
    other = nb.randn(5, 3)
    p, q, marks = scores.sigmoid(), other.softmax(1), (other > 0).to(nb.float32)
    for module, target, input in (
        (nn.BCELoss(weight), F.binary_cross_entropy(p, marks, weight), (p, marks)),
        (
            nn.BCEWithLogitsLoss(pos_weight=weight),
            F.binary_cross_entropy_with_logits(scores, marks, pos_weight=weight),
            (scores, marks),
        ),
        (nn.SmoothL1Loss(beta=0.5), F.smooth_l1_loss(scores, other, beta=0.5), (scores, other)),
        (nn.HuberLoss(delta=0.5), F.huber_loss(scores, other, delta=0.5), (scores, other)),
        (nn.KLDivLoss(reduction="batchmean"), F.kl_div(log_p, q, reduction="batchmean"), (log_p, q)),
        (nn.MSELoss(reduction="sum"), F.mse_loss(scores, other, reduction="sum"), (scores, other)),
        (nn.L1Loss(), F.l1_loss(scores, other), (scores, other)),
        (nn.NLLLoss(weight, ignore_index=1), F.nll_loss(log_p, classes, weight, ignore_index=1), (log_p, classes)),
        (
            nn.CrossEntropyLoss(weight, label_smoothing=0.1, reduction="none"),
            F.cross_entropy(scores, classes, weight, label_smoothing=0.1, reduction="none"),
            (scores, classes),
        ),
    ):
        assert module(*input).tolist() == target.tolist()


def test_class_weights_are_a_buffer() -> None:
    loss = nn.CrossEntropyLoss(nb.ones(3))
    assert [name for name, _ in loss.named_buffers()] == ["weight"]
    assert list(loss.parameters()) == []
    assert nn.CrossEntropyLoss().weight is None
