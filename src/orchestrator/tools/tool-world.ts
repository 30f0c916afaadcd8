import type { Ledger } from '../../ledger/ledger.ts'
import { hashFile, markFile } from '../../world/file-mark.ts'
import { nodeFileSystem } from '../../world/node-file-system.ts'
import { nodeProcesses } from '../../world/node-processes.ts'
import { realWorld } from '../../world/world.ts'
import { GitFacts } from '../git/git-facts.ts'
import { gitRunner } from '../git/git-runner.ts'
import { placeOf, type ToolPlace } from '../process/place-of.ts'
import type { ToolWorld } from './tool-attempt.ts'
import type { ToolJob } from './tool-job.ts'

interface Given extends Pick<ToolWorld, 'adapters' | 'env' | 'onOutput'> {
  readonly ledger: Ledger
}

/** The real one, for the tool jobs of a ledger. */
export function toolWorldOf({ ledger, ...given }: Given): ToolWorld {
  return {
    ...given,
    outside: { ...realWorld, logger: ledger.logger, processes: nodeProcesses, files: nodeFileSystem },
    git: new GitFacts({ run: gitRunner(given.env), files: { mark: markFile, hash: hashFile } }),
    ledger: ledger.identity,
    redact: ledger.redact,
  }
}

/** Where a job would run on this machine, from this folder. */
export function realPlaceOf(job: ToolJob, base: string): Promise<ToolPlace> {
  return placeOf(job, { files: nodeFileSystem, base })
}
