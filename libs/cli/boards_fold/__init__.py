"""`sparrow boards fold`: what-if questions about boards, answered by the projector's own fold."""
