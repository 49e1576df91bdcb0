// Dialogs and menus that are fetched when they are first opened, and stay for their closing to be seen.

import { useState } from 'react'

/** True from the first time that it is open. */
export function useWasOpened(opened: boolean): boolean {
  const [was, setWas] = useState(opened)
  if (opened && !was) setWas(true)
  return was || opened
}
