"""Tests of libs.runtime without servers."""
