#!/usr/bin/env node
import '../node-version.ts'
// All of it: an older Node would stumble over a name that it does not have before it is told that it is too old.
import module from 'node:module'

// Everything else is loaded after this, and quicker the second time.
module.enableCompileCache()
const { run } = await import('./run.ts')
await run(process.argv.slice(2))
