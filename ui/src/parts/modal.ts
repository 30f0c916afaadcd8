/**
 * Shows a dialog above everything for as long as it is in the document. It is closed before it goes, so that what had the focus
 * gets it back: an open one that is only taken away leaves whoever uses keys at the beginning of the page.
 */
export function modal(dialog: HTMLDialogElement): () => void {
  dialog.showModal()
  return () => dialog.close()
}
