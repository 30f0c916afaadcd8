import { Dialog } from '../parts/dialog.tsx'
import styles from './shortcut-dialog.module.css'
import { useShortcutList } from './shortcuts.ts'

export function ShortcutDialog({ onClose }: { readonly onClose: () => void }) {
  const groups = useShortcutList()
  return (
    <Dialog label="Keyboard shortcuts" isWide onClose={onClose}>
      <header className={styles.head}>
        <h2>Keyboard shortcuts</h2>
        <form method="dialog">
          <button type="submit" aria-label="Close">
            ×
          </button>
        </form>
      </header>
      <div className={styles.groups}>
        {groups.map(({ title, shortcuts }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {shortcuts.map(({ keys, about }) => (
                <div key={keys}>
                  <dt>
                    {keys.split(' ').map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{about}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
