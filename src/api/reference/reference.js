// Adds interaction to the reference: copying a block of code, searching the table of contents, and marking the current
// entry.

for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  figure.querySelector('figcaption').append(button)
}

const find = document.getElementById('find')
find.hidden = false
find.addEventListener('input', () => {
  const wanted = find.value.trim().toLowerCase()
  for (const item of document.querySelectorAll('nav li')) {
    item.hidden = !item.textContent.toLowerCase().includes(wanted)
  }
})

const links = new Map([...document.querySelectorAll('nav li a')].map((link) => [link.hash.slice(1), link]))
const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      for (const link of links.values()) link.removeAttribute('aria-current')
      links.get(target.id)?.setAttribute('aria-current', 'true')
    }
  },
  { rootMargin: '-10% 0px -80% 0px' },
)
for (const id of links.keys()) {
  const target = document.getElementById(id)
  if (target !== null) seen.observe(target)
}
