/** Somebody or something was faster: what was seen is not how it is. */
export class ChangedMeanwhile extends Error {
  override name = 'ChangedMeanwhile'

  constructor(id: string) {
    super(
      `${id} has changed since you looked, and was left as it is. It is shown as it is now: look again, and then decide.`,
    )
  }
}
