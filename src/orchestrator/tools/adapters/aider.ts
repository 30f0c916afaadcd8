import { InvalidInput } from '../../../errors/input-errors.ts'
import { type Adapter, type JobPlace, unlessSet } from '../adapter.ts'
import { isGiven } from './given-options.ts'

/**
 * What keeps aider from asking, drawing and phoning home, each with the options by which a job says otherwise itself.
 * `--yes-always` would also answer the questions about release notes and analytics with yes, so they are answered first;
 * `--analytics-disable` would do it for ever, for the user's own sessions too.
 */
const UNATTENDED: readonly (readonly string[])[] = [
  ['--yes-always', '--yes'],
  ['--no-pretty', '--pretty'],
  ['--no-stream', '--stream'],
  ['--no-check-update', '--check-update'],
  ['--no-show-release-notes', '--show-release-notes'],
  ['--no-analytics', '--analytics', '--analytics-disable'],
]

const MESSAGE = ['--message', '--msg', '-m', '--message-file', '-f']

/** With these it does one thing and ends, without a message. */
const NO_MESSAGE_NEEDED = [
  '--apply',
  '--commit',
  '--exit',
  '--help',
  '-h',
  '--just-check-update',
  '--lint',
  '--list-models',
  '--models',
  '--show-prompts',
  '--show-repo-map',
  '--test',
  '--version',
]

export const aiderAdapter: Adapter = {
  tool: 'aider',
  defaultTimeoutSeconds: 600,
  passEnv: [
    'OPENAI_API_KEY',
    'OPENAI_API_BASE',
    'ANTHROPIC_API_KEY',
    'GEMINI_API_KEY',
    'OPENROUTER_API_KEY',
    'DEEPSEEK_API_KEY',
    'GROQ_API_KEY',
    'XAI_API_KEY',
    'COHERE_API_KEY',
    'MISTRAL_API_KEY',
    'AZURE_API_KEY',
    'AZURE_API_VERSION',
    'AZURE_API_BASE',
    'OLLAMA_API_BASE',
    'OLLAMA_API_KEY',
    'AWS_REGION',
    'AWS_PROFILE',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
  ],
  takesOver: { command: { exe: 'aider', args: [] }, needsMessage: true },
  prepare(job, place) {
    const { exe, args } = job.command
    const unattended = UNATTENDED.filter((options) => !isGiven(args, ...options)).flatMap(
      ([first = '']) => first,
    )
    const files = place.filesScope.flatMap((file) => ['--file', file])
    return {
      exe,
      args: [...unattended, ...messageOf(args, place), ...files, ...args],
      // Python keeps what it prints to itself until there is more of it, and what is killed prints nothing more.
      env: unlessSet(job, { PYTHONUNBUFFERED: '1' }),
    }
  },
}

function messageOf(args: readonly string[], { messageFile }: JobPlace): readonly string[] {
  if (isGiven(args, ...MESSAGE)) return []
  if (messageFile !== null) return ['--message-file', messageFile]
  if (isGiven(args, ...NO_MESSAGE_NEEDED)) return []
  throw new InvalidInput(
    'metadata.message_file',
    'aider has no message, and would wait for somebody to type one',
    'Put the instructions into a file in the repository and name it in metadata.message_file.',
  )
}
