"""The words of the names that players begin with: an adjective and a bird, of at most 8 letters each."""

from __future__ import annotations

from typing import Final

ADJECTIVES: Final = tuple(
    """
    Amber Ancient Bold Brave Bright Brisk Calm Cheerful Clever Copper Coral Crimson Curious Daring
    Dawn Eager Early Emerald Fair Fearless Fleet Gentle Gilded Golden Grand Happy Hazel Honest
    Humble Indigo Ivory Jade Jolly Keen Kind Lively Lucky Lunar Marble Mellow Merry Mighty Misty
    Modest Noble Olive Patient Pearl Plucky Polite Proud Quick Quiet Ready Royal Ruby Sage Scarlet
    Serene Silent Silver Snowy Solar Steady Sunny Swift Tidy Topaz Velvet Violet Vivid Warm Wild
    Willow Wise Witty Young Zesty Azure Lilac
    """.split()  # noqa: SIM905 a column of quoted words is harder to read
)
BIRDS: Final = tuple(
    """
    Avocet Bittern Bunting Buzzard Chough Condor Coot Crane Creeper Crow Cuckoo Curlew Dipper Dove
    Dunlin Eagle Egret Eider Falcon Finch Flicker Gannet Goose Grebe Grouse Gull Harrier Hawk Heron
    Hoopoe Ibis Jay Kestrel Kite Kiwi Lapwing Lark Linnet Loon Magpie Mallard Martin Merlin Nightjar
    Oriole Osprey Ouzel Owl Parrot Pelican Petrel Pigeon Pipit Plover Puffin Quail Rail Raven
    Redstart Robin Roller Rook Ruff Serin Shrike Siskin Skua Snipe Sparrow Starling Stork Swallow
    Swan Teal Tern Thrush Wren
    """.split()  # noqa: SIM905 a column of quoted words is harder to read
)
