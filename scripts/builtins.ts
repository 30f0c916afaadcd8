// Modules of Node that the package asks Node for, instead of importing them. An import makes a module of each, for which every
// name in it is looked up; of `node:fs` and `node:util` some are only loaded when they are, with all that streams need. Those that
// take long themselves are asked for when one of their functions is first called. Together that was a quarter of the time that
// importing the library took.
import type { Plugin } from 'rolldown'

const IMPORT = /^import (?:(\w+)|(?:\* as (\w+))|\{([^}]+)\}) from "(node:[\w/]+)";$/gm
const LATER = /\bawait import\("(node:[\w/]+)"\)/g

/** They take a millisecond and more. */
const SLOW: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:net',
  'node:v8',
  'node:worker_threads',
  'node:zlib',
])

export function askedForBuiltins(): Plugin {
  return {
    name: 'asked-for-builtins',
    renderChunk(code) {
      if (!code.includes('"node:')) return null
      let asked = 0
      const later = code.replaceAll(LATER, (_, from: string) => `process.getBuiltinModule("${from}")`)
      return later.replaceAll(IMPORT, (_, name: string, all: string, names: string, from: string) => {
        const whole = name ?? all
        if (whole !== undefined) return `const ${whole} = ${moduleOf(from)};`
        return askedFor(`node$${++asked}`, from, names)
      })
    },
  }
}

/** Whoever puts his program together without them leaves them out: what is in a module may be looked at. */
function moduleOf(from: string): string {
  return `/* @__PURE__ */ process.getBuiltinModule("${from}")`
}

function askedFor(module: string, from: string, names: string): string {
  const found = process.getBuiltinModule(from) as { readonly [name: string]: unknown }
  const pairs = names.split(',').map((one) => one.trim().split(' as '))
  const isLate = SLOW.has(from) && pairs.every(([name = '']) => isPlainFunction(found[name]))
  const lines = pairs.map(([name = '', as = name]) =>
    isLate
      ? `const ${as} = (...given) => (${module} ??= process.getBuiltinModule("${from}")).${name}(...given);`
      : `const ${as} = /* @__PURE__ */ (() => ${module}.${name})();`,
  )
  return [isLate ? `let ${module};` : `const ${module} = ${moduleOf(from)};`, ...lines].join('\n')
}

/** One that is called, and not what `new` makes something of. */
function isPlainFunction(value: unknown): boolean {
  return typeof value === 'function' && !/^class\b/.test(value.toString())
}
