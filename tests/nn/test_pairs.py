from __future__ import annotations

import nbgrad as nb

nn = nb.nn
F = nn.functional


def test_modules_are_their_functions_with_their_arguments() -> None:
    nb.manual_seed(2)
    a, b, c, signs = nb.randn(5, 3), nb.randn(5, 3), nb.randn(5, 3), nb.tensor([1.0, -1.0, 1.0, 1.0, -1.0])
    counts, marks = nb.tensor([[0.0, 2.0, 5.0]]).expand(5, 3), (b > 0).to(nb.float32)
    for module, want, inputs in (
        (nn.CosineSimilarity(0, 1e-3), F.cosine_similarity(a, b, 0, 1e-3), (a, b)),
        (nn.PairwiseDistance(1.0, 0.1, True), F.pairwise_distance(a, b, 1.0, 0.1, True), (a, b)),
        (nn.MarginRankingLoss(0.5), F.margin_ranking_loss(a[:, 0], b[:, 0], signs, 0.5), (a[:, 0], b[:, 0], signs)),
        (nn.HingeEmbeddingLoss(0.5), F.hinge_embedding_loss(a[:, 0], signs, 0.5), (a[:, 0], signs)),
        (nn.CosineEmbeddingLoss(0.2), F.cosine_embedding_loss(a, b, signs, 0.2), (a, b, signs)),
        (
            nn.TripletMarginLoss(2.0, swap=True, reduction="sum"),
            F.triplet_margin_loss(a, b, c, 2.0, swap=True, reduction="sum"),
            (a, b, c),
        ),
        (nn.PoissonNLLLoss(full=True), F.poisson_nll_loss(a, counts, full=True), (a, counts)),
        (nn.SoftMarginLoss(reduction="none"), F.soft_margin_loss(a[:, 0], signs, reduction="none"), (a[:, 0], signs)),
        (nn.MultiLabelSoftMarginLoss(), F.multilabel_soft_margin_loss(a, marks), (a, marks)),
    ):
        assert module(*inputs).tolist() == want.tolist()


def test_a_soft_margin_does_not_overflow() -> None:
    x = nb.tensor([300.0, -300.0], requires_grad=True)
    loss = F.soft_margin_loss(x, nb.ones(2), reduction="sum")  # PyTorch's is infinite
    loss.backward()
    assert loss.item() == 300.0 and x.grad.tolist() == [0.0, -1.0]


def test_a_margin_of_integers_is_a_float() -> None:
    given = [nb.tensor(x) for x in ([1, 2, 3], [3, 1, 3], [1, -1, 1])]
    told = F.margin_ranking_loss(*given)
    assert told.dtype is nb.float32
    assert told.item() == 1.0
