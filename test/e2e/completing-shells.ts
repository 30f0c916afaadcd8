// Shells that have loaded the completion, as its help says how, and are asked what they would offer for a line.
import { writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { lines, type Shell } from './cli-run.ts'

type Offered = { readonly [line: string]: readonly string[] }

export function bashOffers(shell: Shell, asked: readonly string[]): Offered {
  // What bash itself does with a line: words, of which some have no space between them, the word under the cursor, and
  // the function that was registered.
  const ask = `
    source <(waybill completion bash)
    [[ $(complete -p waybill) == "complete -o default -F _waybill waybill" ]] || exit
    while IFS= read -r line; do
      COMP_LINE=$line COMP_POINT=\${#line}
      separated=\${line//=/ = }
      read -ra COMP_WORDS <<< "\${separated//:/ : }"
      [[ $line == *" " ]] && COMP_WORDS+=("")
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _waybill
      echo "\${COMPREPLY[*]}"
    done < asked > offered`
  return answers(shell, asked, ask)
}

export function fishOffers(shell: Shell, asked: readonly string[]): Offered {
  // What is behind a tab describes it. Here an option and its value are one word, where others see the value.
  // It is loaded only where there is such a command.
  const script = `
    function waybill; end
    while read line
      echo (complete -C $line | string replace -r '\\t.*' '' | string replace -r '^--.*=' '')
    end < asked > offered`
  writeFileSync(shell.path('ask.fish'), script)
  const ask = `
    mkdir -p .config/fish/completions
    waybill completion fish > .config/fish/completions/waybill.fish
    fish ask.fish`
  return answers(shell, asked, ask)
}

export const ZSH_SET_UPS = {
  'at the end of .zshrc': `
    echo 'autoload -Uz compinit && compinit -u' > .zshrc
    waybill completion zsh >> .zshrc`,
  'among the functions of zsh': `
    mkdir -p functions
    waybill completion zsh > functions/_waybill
    echo 'fpath=(~/functions $fpath) && autoload -Uz compinit && compinit -u' > .zshrc`,
}

export function zshOffers(shell: Shell, setUp: string, asked: readonly string[]): Offered {
  // All that is offered goes through compadd, which can also be asked what it would do: -O, -A and -D. There is no
  // completion without the line editor, which begins to edit a line and leaves.
  const script = `
    compadd() {
      local -a matching
      if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
        builtin compadd -O matching "$@"
        offered+=($matching)
      fi
      builtin compadd "$@"
    }
    zle -C offer list-choices _main_complete
    zle-line-init() {
      local line
      local -a offered
      while IFS= read -r line; do
        BUFFER=$line CURSOR=$#line offered=()
        zle offer
        print -r -- $offered
      done < asked > offered
      exit
    }
    zle -N zle-line-init`
  writeFileSync(shell.path('ask.zsh'), script)
  // The line editor wants a terminal: zsh has one to give.
  const onTerminal = 'zmodload zsh/zpty; zpty inner "zsh -d -i"; while zpty -r inner seen; do :; done'
  return answers(shell, asked, `${setUp}\ncat ask.zsh >> .zshrc\nzsh -f -c '${onTerminal}'`)
}

/** Files named `asked` and `offered` have a line for each. */
function answers(shell: Shell, asked: readonly string[], ask: string): Offered {
  writeFileSync(shell.path('asked'), `${asked.join('\n')}\n`)
  const env = { HOME: shell.folder, ZDOTDIR: shell.folder, XDG_CONFIG_HOME: shell.path('.config') }
  const { status, stdout, stderr } = shell.bash(`rm -f offered\n${ask}\ncat offered`, env)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const offered = lines(stdout)
  expect(offered).toHaveLength(asked.length)
  // Each shell has an order of its own.
  return Object.fromEntries(asked.map((line, i) => [line, sortedWords(offered[i])]))
}

export function sortedWords(text = ''): readonly string[] {
  return text.split(' ').filter(Boolean).sort()
}
