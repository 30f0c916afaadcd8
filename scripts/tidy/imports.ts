// Every way a file can reach another one: import, export from, import() and import types.
import { Visitor } from 'oxc-parser'
import type { SourceFile } from './source-file.ts'

export type Import = {
  specifier: string
  line: number
  /** Gone at run time. */
  typeOnly: boolean
  /** Imported names; empty when the module is taken whole or for its side effects. */
  names: readonly string[]
}

export function importsOf(file: SourceFile): Import[] {
  return [...staticImports(file), ...reExports(file), ...importExpressions(file)]
}

function staticImports(file: SourceFile): Import[] {
  return file.syntax().module.staticImports.map(({ start, moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    line: file.lineAt(start),
    typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
    names: entries.flatMap((entry) => entry.importName.name ?? []),
  }))
}

function reExports(file: SourceFile): Import[] {
  return file.syntax().module.staticExports.flatMap(({ start, entries }) => {
    const specifier = entries[0]?.moduleRequest?.value
    if (specifier === undefined) return []
    return {
      specifier,
      line: file.lineAt(start),
      typeOnly: entries.every((entry) => entry.isType),
      names: entries.flatMap((entry) => entry.importName.name ?? []),
    }
  })
}

function importExpressions(file: SourceFile): Import[] {
  const found: Import[] = []
  const add = (specifier: unknown, start: number, typeOnly: boolean) => {
    if (typeof specifier === 'string')
      found.push({ specifier, line: file.lineAt(start), typeOnly, names: [] })
  }
  new Visitor({
    ImportExpression: ({ source, start }) => {
      if (source.type === 'Literal') add(source.value, start, false)
    },
    TSImportType: ({ source, start }) => add(source.value, start, true),
  }).visit(file.syntax().program)
  return found
}
