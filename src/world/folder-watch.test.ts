import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { watchFolder } from './folder-watch.ts'

it('tells the name of a file that changed, and is harmless where there is nothing to watch', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-watch-'))
  const heard = Promise.withResolvers<string | null>()
  const watch = watchFolder(folder, heard.resolve)
  await writeFile(join(folder, 'a'), 'x')
  expect(await heard.promise).toBe('a')
  watch.close()
  await rm(folder, { recursive: true })
  watchFolder(folder, () => {}).close()
})
