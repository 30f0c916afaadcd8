/** A word of a command line, quoted where a shell would take it for something else. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`
}
