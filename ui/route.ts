// The address of a view: the hash contains the world and the view.
import { useEffect, useState } from 'preact/hooks';

export const firstWorld = 'default';

/** `#/timeline/requests/12`, or `#/@name/timeline` in another world, as a world and a path. */
function parseRoute(hash: string) {
  const parts = hash.replace(/^#\/?/, '').split('/').map(decodePart).filter(isName);
  const [first = ''] = parts;
  if (!first.startsWith('@')) return { world: firstWorld, path: parts };
  return { world: first.slice(1) || firstWorld, path: parts.slice(1) };
}

/** Dots would lead to another path of the control plane. */
const isName = (part: string) => !/^(@?\.{1,2}|)$/.test(part);

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

export function hrefOf(world: string, ...path: readonly (string | number)[]): string {
  const parts = world === firstWorld ? path : [`@${world}`, ...path];
  return `#/${parts.map((part) => encodeURIComponent(part).replace(/^%40/, '@')).join('/')}`;
}

export function useRoute() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const read = () => setHash(location.hash);
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return parseRoute(hash);
}
