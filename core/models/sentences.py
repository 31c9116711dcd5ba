"""The sentences that are kept with the app, for both models."""

# Ten words drawn at random (seed 0) from those that are one token in both vocabularies; then once more.
_WORDS = "poured riots beauty invest tails spread ratio manual sore papers"

SENTENCES = {
    "tired": "The animal didn't cross the street because it was too tired.",
    "wide": "The animal didn't cross the street because it was too wide.",
    "repeat": f"Words: {_WORDS} {_WORDS}",
    "capitals": "Paris is in France, Rome is in Italy, and Madrid is in",
    "names": "When Mary and John went to the shop, John gave a bottle to",
}
