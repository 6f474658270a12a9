//! Which engines can be compared: connected and strongly connected components.

use super::Pool;

/// The components of a pool. Each is named by its lowest engine number.
pub(super) struct Graph {
    /// By engine: its component, engines connected by games with any result.
    pub(super) component: Vec<usize>,
    /// By engine: its strongly connected component. Each engine of it won points, directly or through others, against each
    /// other one.
    pub(super) scc: Vec<usize>,
}

impl Graph {
    pub(super) fn of(pool: &Pool) -> Self {
        let mut met = vec![Vec::new(); pool.engines()];
        let mut scored_off = vec![Vec::new(); pool.engines()];
        let mut gave_points_to = vec![Vec::new(); pool.engines()];
        for (a, b, encounter) in pool.encounters() {
            met[a].push(b);
            met[b].push(a);
            let totals = encounter.totals();
            let won = [(a, b, totals.half_points()), (b, a, totals.half_points_against())];
            for (winner, loser, _) in won.into_iter().filter(|(.., half_points)| *half_points > 0) {
                scored_off[winner].push(loser);
                gave_points_to[loser].push(winner);
            }
        }
        Self {
            component: groups(pool.engines(), |engine| reachable(&met, engine)),
            scc: groups(pool.engines(), |engine| {
                let (up, down) = (reachable(&gave_points_to, engine), reachable(&scored_off, engine));
                up.into_iter().zip(down).map(|(up, down)| up && down).collect()
            }),
        }
    }

    /// Members of each component, by its lowest member; only components of two or more.
    pub(super) fn components(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.component.len()];
        for (engine, &component) in self.component.iter().enumerate() {
            members[component].push(engine);
        }
        members.retain(|m| m.len() > 1);
        members
    }

    /// True if the whole pool is one strongly connected component.
    pub(super) fn is_strong(&self) -> bool {
        self.scc.iter().all(|&scc| scc == 0)
    }

    /// True if every component is strongly connected.
    pub(super) fn components_are_strong(&self) -> bool {
        self.component == self.scc
    }
}

/// For each engine the lowest member of its group. `members` says which engines are in the group of an engine.
fn groups(engines: usize, mut members: impl FnMut(usize) -> Vec<bool>) -> Vec<usize> {
    let mut group = vec![None; engines];
    for engine in 0..engines {
        if group[engine].is_none() {
            for (other, _) in members(engine).iter().enumerate().filter(|(_, member)| **member) {
                group[other] = Some(engine);
            }
        }
    }
    group.into_iter().enumerate().map(|(engine, group)| group.unwrap_or(engine)).collect()
}

/// For each engine: true if it can be reached from `start`. True for `start` itself.
fn reachable(edges: &[Vec<usize>], start: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open = vec![start];
    reached[start] = true;
    while let Some(engine) = open.pop() {
        for &next in &edges[engine] {
            if !reached[next] {
                reached[next] = true;
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::ColourTally;

    fn pool(engines: usize, wins: &[(usize, usize)]) -> Graph {
        let mut pool = Pool::new(engines);
        for &(winner, loser) in wins {
            pool.add(winner, loser, ColourTally::new([0, 0, 1], [0; 3]).unwrap(), 1).unwrap();
        }
        Graph::of(&pool)
    }

    #[test]
    fn a_ring_of_wins_is_strong_and_a_ladder_is_not() {
        let ring = pool(3, &[(0, 1), (1, 2), (2, 0)]);
        assert!(ring.is_strong());
        let ladder = pool(3, &[(0, 1), (1, 2), (0, 2)]);
        assert_eq!((ladder.component, ladder.scc), (vec![0, 0, 0], vec![0, 1, 2]));
    }

    #[test]
    fn two_islands_and_a_hermit() {
        let g = pool(5, &[(3, 1), (1, 3), (4, 2)]);
        assert_eq!(g.component, [0, 1, 2, 1, 2]);
        assert_eq!(g.scc, [0, 1, 2, 1, 4]);
        assert_eq!(g.components(), [vec![1, 3], vec![2, 4]]);
        assert!(!g.is_strong() && !g.components_are_strong());
    }
}
