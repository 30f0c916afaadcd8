#!/usr/bin/env node
import '../node-version.ts'
import { enableCompileCache } from 'node:module'

// Everything else is loaded after this, and quicker the second time.
enableCompileCache()
const { run } = await import('./run.ts')
await run(process.argv.slice(2))
