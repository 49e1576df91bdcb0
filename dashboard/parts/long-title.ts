// The complete text of a title that the page may cut after some lines, such as the subject of a message.

import type { ReactNode } from 'react'

/** Number of characters that are never cut. */
const SHORT = 100

/** Returns the tooltip of a title; undefined for a title that is shown completely. */
export const longTitle = (title: ReactNode): string | undefined =>
  typeof title === 'string' && title.length > SHORT ? title : undefined
