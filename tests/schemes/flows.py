"""What is possible, by networkx: maximum flow with lower bounds, written down edge by edge."""

import networkx as nx
import numpy as np


def most_flow(demand, lower, upper, forbidden):
    """How much of everything that is demanded can be had: (flow, what there should be).

    Every grader wants exactly ``demand`` different papers, every paper ``lower`` to ``upper`` graders. The usual
    reduction: what a lower bound forces goes around it, by way of a source and a sink of its own.
    """
    graph = nx.DiGraph()
    wanted = 0
    graph.add_nodes_from(["source", "sink"])
    for g, many in enumerate(demand):
        # Lower and upper bound are both the demand: source -> grader carries exactly that.
        graph.add_edge("source", ("grader", g), capacity=int(many))
        graph.add_edge("all", "sink", capacity=graph.get_edge_data("all", "sink", {"capacity": 0})["capacity"] + many)
        wanted += int(many)
    graph.add_edge("out", "all", capacity=int(sum(upper)))
    for p, (low, high) in enumerate(zip(lower, upper, strict=True)):
        graph.add_edge(("paper", p), "sink", capacity=int(low))
        graph.add_edge(
            "source", "out", capacity=graph.get_edge_data("source", "out", {"capacity": 0})["capacity"] + low
        )
        graph.add_edge(("paper", p), "out", capacity=int(high - low))
        wanted += int(low)
    for g in range(len(demand)):
        for p in range(len(lower)):
            if (g, p) not in forbidden:
                graph.add_edge(("grader", g), ("paper", p), capacity=1)
    return int(nx.maximum_flow_value(graph, "source", "sink")), wanted


def possible(demand, lower, upper, forbidden):
    """Whether everything can be had."""
    flow, wanted = most_flow(demand, lower, upper, forbidden)
    return flow == wanted


def pairs(forbidden):
    return {*zip(forbidden.grader.tolist(), forbidden.paper.tolist(), strict=True)}


def assert_legal(owner, paper, demand, lower, upper, forbidden):
    given = [*zip(np.asarray(owner).tolist(), np.asarray(paper).tolist(), strict=True)]
    assert len({*given}) == len(given)
    assert not {*given} & {*forbidden}
    assert np.bincount(owner, minlength=len(demand)).tolist() == list(demand)
    loads = np.bincount(paper, minlength=len(lower))
    assert (loads >= lower).all()
    assert (loads <= upper).all()
