// How wide a place on the page is, now and whenever that changes: pictures are drawn for their place.

/** Tells the width of an element until it is called off. */
export function sized(place: HTMLElement | undefined, tell: (width: number) => void): (() => void) | undefined {
  if (!place) return undefined;
  const observer = new ResizeObserver(() => tell(place.clientWidth));
  observer.observe(place);
  return () => observer.disconnect();
}
