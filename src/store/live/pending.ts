/** What was decided, and memory shows to later decisions, while it is not durable yet. */
export interface Pending {
  /** It is durable: everybody is to see it. */
  settle(): void
  /** It will not be. What was decided after it was taken back before it. */
  takeBack(): void
}
