/**
 * Git that never asks: nobody is there to answer, and a job that waits for a password waits until its time is up. An
 * empty GIT_ASKPASS also takes the place of the programs that the configuration or SSH_ASKPASS name.
 */
export const QUIET_GIT_ENV: { readonly [name: string]: string } = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=15',
  GCM_INTERACTIVE: 'never',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_MERGE_AUTOEDIT: 'no',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
}

/** Text as it is, in no colours; and no transport that is a command of its own. */
export const QUIET_GIT_ARGS: readonly string[] = [
  '--no-pager',
  '-c',
  'core.quotepath=off',
  '-c',
  'color.ui=false',
  '-c',
  'protocol.ext.allow=never',
]
