import { userInfo } from 'node:os'

/** Whom the history names when `--actor` does not: the user, or nobody in particular where users have no names. */
export function defaultActor(): string {
  try {
    return userInfo().username || 'local'
  } catch {
    return 'local'
  }
}
