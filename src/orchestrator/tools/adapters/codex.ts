import { InvalidInput } from '../../../errors/input-errors.ts'
import type { Adapter, JobPlace } from '../adapter.ts'
import { isGiven, placeOf } from './given-options.ts'

const SANDBOX = ['--sandbox', '-s', '--approve-for-me', '--dangerously-bypass-approvals-and-sandbox']
const FOLDER = ['--cd', '-C']

/**
 * Codex without a terminal: `codex exec`, with the message on stdin. It takes no option twice, so what the job says
 * itself is not said again. It goes where `files_scope` says only if the message tells it to: it has no such option.
 */
export const codexAdapter: Adapter = {
  tool: 'codex',
  defaultTimeoutSeconds: 600,
  passEnv: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'CODEX_HOME'],
  takesOver: { command: { exe: 'codex', args: [] }, needsMessage: true },
  prepare({ command }, place) {
    const args = withoutExec(command.args)
    refuseFolder(command.args)
    return {
      exe: command.exe,
      args: [
        'exec',
        ...(isGiven(args, ...SANDBOX) ? [] : ['--sandbox', 'workspace-write']),
        ...(isGiven(args, '--color') ? [] : ['--color', 'never']),
        '-C',
        place.workingDir,
        ...args,
        ...promptOf(args, place),
      ],
      ...(place.messageFile !== null && { stdinFile: place.messageFile }),
    }
  },
}

function withoutExec(args: readonly string[]): readonly string[] {
  return args[0] === 'exec' || args[0] === 'e' ? args.slice(1) : args
}

function refuseFolder(args: readonly string[]): void {
  const place = placeOf(args, ...FOLDER)
  if (place < 0) return
  const field = `command.args[${place}]`
  throw new InvalidInput(field, `${field} names a folder`, 'Name it in paths.working_dir, which is checked.')
}

/** `-` is the prompt that stands for stdin. */
function promptOf(args: readonly string[], { messageFile }: JobPlace): readonly string[] {
  if (messageFile !== null) return args.at(-1) === '-' ? [] : ['-']
  if (args.length > 0) return []
  throw new InvalidInput(
    'metadata.message_file',
    'codex has no message',
    'Put the instructions into a file in the repository and name it in metadata.message_file.',
  )
}
