// How long work still takes, in words.

/** `about 3 minutes left`; undefined while nobody knows. */
export function timeLeft(seconds: number | null): string | undefined {
  if (seconds === null) return undefined
  if (seconds < 90) return 'about a minute left'
  const minutes = Math.round(seconds / 60)
  return `about ${minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`} left`
}
