import { Argument, type Command } from 'commander'
import { bashCompletion } from '../completion/bash.ts'
import { commandTree } from '../completion/command-tree.ts'
import { fishCompletion } from '../completion/fish.ts'
import { zshCompletion } from '../completion/zsh.ts'
import { type CommandSpec, defineCommand } from '../define-command.ts'

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

/** Takes the program that it completes, and is a part of. */
export function completion(program: Command): CommandSpec {
  return defineCommand({
    name: 'completion',
    summary: 'completion of commands, options and states for your shell',
    about:
      'Prints a script that has your shell complete commands, options and what they may be, such as the names of ' +
      'states.',
    arguments: [new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SHELLS))],
    examples: [
      ['completion bash >> ~/.bashrc', 'for good, in bash'],
      ['completion zsh >> ~/.zshrc', 'in zsh, after compinit'],
      ['completion fish > ~/.config/fish/completions/waybill.fish', 'in fish'],
    ],
    run: (session, _options, [shell]) =>
      session.out.write(SHELLS[shell as keyof typeof SHELLS](commandTree(program))),
  })
}
