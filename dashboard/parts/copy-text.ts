// Copies a text to the clipboard, even on a page that was loaded by plain HTTP from another machine.

/**
 * Copies a text; returns true on success. The older `copy` event is used if `navigator.clipboard` is missing or fails.
 */
export async function copyText(text: string): Promise<boolean> {
  if ('clipboard' in navigator) {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
    if (isCopied) return true
  }
  let isTaken = false
  const give = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
    isTaken = event.clipboardData !== null
  }
  document.addEventListener('copy', give, { capture: true })
  try {
    return document.execCommand('copy') && isTaken
  } finally {
    document.removeEventListener('copy', give, { capture: true })
  }
}
