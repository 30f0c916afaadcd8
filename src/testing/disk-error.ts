/** An error as Node's `fs` throws it: the code is what counts. */
export function diskError(code: string, what: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${what}, '${path}'`), { code })
}

export function missing(path: string): Error {
  return diskError('ENOENT', 'no such file or directory', path)
}

export function exists(path: string): Error {
  return diskError('EEXIST', 'file already exists', path)
}

export function isFolder(path: string): Error {
  return diskError('EISDIR', 'illegal operation on a directory', path)
}

export function closed(path: string): Error {
  return diskError('EBADF', 'file closed', path)
}
