// The files the house rules apply to: what is committed, or would be by `git add .`.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type SourceFile, sourceFile } from './source-file.ts'

export function projectFiles(root: string): SourceFile[] {
  return (listedByGit(root) ?? foundOnDisk(root))
    .filter((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile())
    .map((path) => sourceFile(path, readFileSync(join(root, path), 'utf8')))
    .filter((file) => !isBinary(file))
}

function listedByGit(root: string): string[] | undefined {
  const { status, stdout } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  return status === 0 ? stdout.split('\0').filter((path) => path !== '') : undefined
}

/** For a copy of the repository without its history. */
function foundOnDisk(root: string): string[] {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return globSync('**/*', { cwd: root, exclude: ignored.map((line) => `**/${line.replace(/\/$/, '')}`) })
}

/** As git itself decides it. */
function isBinary(file: SourceFile): boolean {
  return file.text.slice(0, 8000).includes('\0')
}
