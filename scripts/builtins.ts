// Modules of Node that the package asks Node for, instead of importing them. An import makes a module of each, for which every
// name in it is looked up; of `node:fs` and `node:util` some are only loaded when they are, with all that streams need. That was
// a sixth of the time that importing the library took.
import type { Plugin } from 'rolldown'

const LATER = /\bawait import\("(node:[\w/]+)"\)/g
const IMPORT = /^import (?:(\w+)|(?:\* as (\w+))|\{([^}]+)\}) from "(node:[\w/]+)";$/gm

export function askedForBuiltins(): Plugin {
  return {
    name: 'asked-for-builtins',
    renderChunk(code) {
      if (!code.includes('"node:')) return null
      let asked = 0
      const later = code.replaceAll(LATER, (_, from: string) => `process.getBuiltinModule("${from}")`)
      return later.replaceAll(IMPORT, (_, name: string, all: string, names: string, from: string) => {
        const module = name ?? all ?? `node$${++asked}`
        const lines = [`const ${module} = /* @__PURE__ */ process.getBuiltinModule("${from}");`]
        // Whoever puts his program together without them leaves these out: what is in a module may be looked at.
        for (const one of names?.split(',') ?? []) {
          const [found = '', as = found] = one.trim().split(' as ')
          lines.push(`const ${as} = /* @__PURE__ */ (() => ${module}.${found})();`)
        }
        return lines.join('\n')
      })
    },
  }
}
