/** For an option that may be repeated. Not a list after one option: that would take the arguments behind it along. */
export function collect(text: string, before: unknown): readonly string[] {
  return [...(Array.isArray(before) ? (before as string[]) : []), text]
}
