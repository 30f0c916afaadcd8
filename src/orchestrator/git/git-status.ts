// What `git status --porcelain=v2 -z` prints. Entries end with NUL, so names hold whatever they like, and every entry says
// by its first character what it is:
//
//   1 XY sub mH mI mW hH hI path           changed
//   2 XY sub mH mI mW hH hI Xscore path    renamed; the name it had is the next entry
//   u XY sub m1 m2 m3 mW h1 h2 h3 path     in conflict
//   ? path                                 untracked

const FIELDS_BEFORE_PATH: { readonly [kind: string]: number } = { '1': 8, '2': 9, u: 10, '?': 1 }

/** Every path that differs from the last commit, both names of renamed ones included; in the order they come. */
export function statusPaths(printed: string): readonly string[] {
  const paths: string[] = []
  const entries = printed.split('\0')
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] ?? ''
    const fields = FIELDS_BEFORE_PATH[entry[0] ?? '']
    if (fields === undefined) continue
    paths.push(afterSpaces(entry, fields))
    if (entry[0] === '2') paths.push(entries[++index] ?? '')
  }
  return paths.filter((path) => path !== '')
}

function afterSpaces(text: string, count: number): string {
  let start = 0
  for (let nth = 0; nth < count; nth++) {
    start = text.indexOf(' ', start) + 1
    if (start === 0) return ''
  }
  return text.slice(start)
}
