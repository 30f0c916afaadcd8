// Preloaded by a test: prints, as JSON in the end, which files were loaded.
import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded = []
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) loaded.push(url)
    return next(url, context)
  },
})
process.on('exit', () => writeSync(1, JSON.stringify(loaded)))
