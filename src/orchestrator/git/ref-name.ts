// Names that git takes for what they are. Git checks them too, but not before it has looked for options among them, and
// not everywhere: `worktree add -b` hands its name on to another git without a word of warning.

const LONGEST = 200

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NEVER_IN_A_REF = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\//

/** What is wrong with the name of a branch, if anything. */
export function branchNameProblem(name: string): string | null {
  if (NEVER_IN_A_REF.test(name)) return 'has something that no branch may have in its name'
  if (/^[/.]|\/$|\.$|^@$|^HEAD$/.test(name)) return 'is not the name of a branch'
  if (name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'))) {
    return 'has a part that begins with a full stop or ends with .lock'
  }
  return plainProblem(name)
}

/** What is wrong with a commit to start from: a branch, a tag, a hash, `HEAD~2`. */
export function revisionProblem(text: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x20\x7f:?*[\\]|\.\./.test(text)) return 'does not name a commit'
  return plainProblem(text)
}

/** What is wrong with the name of a remote. It is no URL: where work goes is configured, and not said by a job. */
export function remoteNameProblem(name: string): string | null {
  if (!/^[\w.][\w./-]*$/.test(name) || name.includes('..')) return 'is not the name of a remote'
  return plainProblem(name)
}

function plainProblem(text: string): string | null {
  if (text === '') return 'is empty'
  if (text.startsWith('-')) return 'begins with -, as options do'
  if (!text.isWellFormed()) return 'has half a character'
  return text.length > LONGEST ? `has more than ${LONGEST} characters` : null
}
