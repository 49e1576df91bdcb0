// Copies a text into the clipboard, also of a page that came by plain HTTP from another machine.

/** True if it was copied. Such a page has no `navigator.clipboard`; the older way copies what the page puts in its event. */
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
