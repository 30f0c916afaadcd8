import { type ParseResult, parseSync } from 'oxc-parser'

export type SourceFile = {
  /** Relative to the repository, with forward slashes. */
  path: string
  text: string
  lines: readonly string[]
  /** 1-based line of an offset into the text. */
  lineAt: (offset: number) => number
  /** The parsed syntax; only for files where `isCode` holds. */
  syntax: () => ParseResult
}

const CODE = /\.(?:ts|tsx|mts|js|mjs)$/
const TEST = /\.test\.tsx?$/

export function sourceFile(path: string, text: string): SourceFile {
  let parsed: ParseResult | undefined
  return {
    path,
    text,
    lines: text.split('\n'),
    lineAt: (offset) => text.slice(0, offset).split('\n').length,
    syntax: () => {
      parsed ??= parseSync(path, text)
      return parsed
    },
  }
}

export function isCode(file: SourceFile): boolean {
  return CODE.test(file.path)
}

export function isTest(file: SourceFile): boolean {
  return TEST.test(file.path)
}
