/** Called for each value that the option has: `--for a,b --for c` are three. */
export function tenantList(text: string, before: unknown): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  return [...(Array.isArray(before) ? (before as string[]) : []), ...names]
}
