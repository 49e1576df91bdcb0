// Dialogs and menus that are loaded at their first opening, and that stay in the page for their closing animation.

import { useState } from 'react'

/** Returns true from the first opening on. */
export function useWasOpened(opened: boolean): boolean {
  const [was, setWas] = useState(opened)
  if (opened && !was) setWas(true)
  return was || opened
}
