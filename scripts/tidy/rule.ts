// A house rule looks at one file and says what is wrong with it, and what to do about it.
import type { SourceFile } from './source-file.ts'

export type Finding = { line: number; what: string; fix: string }

export type Rule = { name: string; check: (file: SourceFile) => Finding[] }
