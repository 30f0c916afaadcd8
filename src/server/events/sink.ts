/** Where a stream is written to. */
export interface Sink {
  /** The head of the answer: nothing can be refused from now on. */
  begin(): void
  /** Writes whole frames. False when there is to be no more until it has drained. */
  write(bytes: Uint8Array): boolean
  /** Nothing more comes; what was written still gets out. */
  end(): void
  /** At once, whatever is still on its way. */
  destroy(): void
  listen(on: SinkListener): void
}

export interface SinkListener {
  /** There is room again. */
  drained(): void
  /** All is written after `end`, or the other side is gone. Called at once if that was before. */
  closed(): void
}
