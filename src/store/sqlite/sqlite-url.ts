const SCHEME = 'sqlite:'

/** The file that a URL names. */
export function sqlitePath(url: string): string {
  return url.slice(SCHEME.length)
}
