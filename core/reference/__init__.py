"""The same results by PyTorch, as an independent judge. PyTorch is imported on first use only."""

from core.reference.attention import difference_from_torch, torch_attention

__all__ = ["difference_from_torch", "torch_attention"]
