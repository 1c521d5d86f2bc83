"""Functions and modules that most programs have no use for: their files are read when somebody first asks for one."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.system.imports import import_module

# By file of nn/functions/: what stands in nn.functional.
_FUNCTIONS: Final = {
    "attention": "multi_head_attention_forward",
    "bags": "embedding_bag",
    "channels": "bilinear channel_shuffle conv_tbc local_response_norm native_channel_shuffle",
    "ctc": "ctc_loss",
    "fractional": "fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d "
    "fractional_max_pool3d_with_indices",
    "grids": "affine_grid grid_sample",
    "losses": "gaussian_nll_loss linear_cross_entropy multi_margin_loss multilabel_margin_loss "
    "triplet_margin_with_distance_loss",
    "maxima": "adaptive_max_pool1d adaptive_max_pool1d_with_indices adaptive_max_pool2d "
    "adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices max_pool1d max_pool2d "
    "max_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices max_unpool1d max_unpool2d "
    "max_unpool3d",
    "means": "adaptive_avg_pool3d lp_pool1d lp_pool2d lp_pool3d unfold",
    "noise": "alpha_dropout dropout3d feature_alpha_dropout gumbel_softmax rrelu",
    "older": "upsample upsample_bilinear upsample_nearest",
}

# By file of nn/: what stands in nn.
_MODULES: Final = {
    "decoder": "Transformer TransformerDecoder TransformerDecoderLayer",
    "later_criteria": "AdaptiveLogSoftmaxWithLoss CTCLoss GaussianNLLLoss MultiLabelMarginLoss MultiMarginLoss "
    "NLLLoss2d TripletMarginWithDistanceLoss",
    "lazy": "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d "
    "LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear "
    "UninitializedBuffer UninitializedParameter",
    "mixing": "AlphaDropout BatchNorm3d Bilinear ChannelShuffle CircularPad1d CircularPad2d CircularPad3d "
    "CrossMapLRN2d Dropout3d EmbeddingBag FeatureAlphaDropout LocalResponseNorm RReLU ReflectionPad3d "
    "UpsamplingBilinear2d UpsamplingNearest2d",
    "rnn": "RNNBase RNNCellBase",
    "windows": "AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool3d Fold "
    "FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d LPPool3d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d "
    "Unfold",
}

FUNCTIONS: Final = {name: f"nbgrad.nn.functions.{file}" for file, names in _FUNCTIONS.items() for name in names.split()}
FUNCTIONS["pdist"] = "nbgrad.functions.vectors"
MODULES: Final = {name: f"nbgrad.nn.{file}" for file, names in _MODULES.items() for name in names.split()}


def found(table: dict[str, str], name: str) -> Any:
    """What ``name`` is, from its file."""
    return getattr(import_module(table[name]), name)
