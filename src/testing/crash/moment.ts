/** When an operation takes place. */
export interface Moment {
  /** Its number. */
  readonly n: number
  /**
   * The last operation whose caller has heard that it is done. A sync is only sure to cover those: one that is called
   * while a write is still under way may come before it.
   */
  readonly heardOf: number
}
