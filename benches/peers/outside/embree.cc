// First hits of rays by Embree 4 in its robust mode, for `--bench outside`, which says how to build this program.
//
//   embree INPUT
//
// INPUT has 32-bit numbers: the number of vertices, x, y, z of each, the number of triangles, three indices of each, the
// number of frames, the number of rays of a frame, a multiple of 16, and for each frame six columns of its rays: x, y and
// z of origins, then of displacements.
//
// Commands are lines. `single FRAME`, `sixteen FRAME` and `coherent FRAME` print the nanoseconds of a ray, by calls of
// one ray, by packets of 16, and by packets that are told to be coherent. `answers PATH` writes the times of the last
// frame, as fractions of displacements; 2 is a miss. `build` prints the nanoseconds of building the tree.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

// The part of Embree's interface that is called, since the wheel that has the library has no headers.
struct Device;
struct Scene;
struct Geometry;
template <int N>
struct alignas(N == 1 ? 16 : 64) Rays
{
    float origin[3][N], near[N], displacement[3][N], time[N], far[N];
    std::uint32_t mask[N], id[N], flags[N];
    float normal[3][N], u[N], v[N];
    std::uint32_t triangle[N], geometry[N], instance[16][N];
};
struct Arguments
{
    std::uint32_t flags = 0, features = ~0U;
    void *context = nullptr, *filter = nullptr, *intersect = nullptr;
    float width = 0;
};
extern "C"
{
    Device *rtcNewDevice(const char *);
    Scene *rtcNewScene(Device *);
    void rtcSetSceneFlags(Scene *, int);
    void rtcSetSceneBuildQuality(Scene *, int);
    void rtcCommitScene(Scene *);
    Geometry *rtcNewGeometry(Device *, int);
    void *rtcSetNewGeometryBuffer(Geometry *, int, unsigned, int, std::size_t, std::size_t);
    void rtcCommitGeometry(Geometry *);
    unsigned rtcAttachGeometry(Scene *, Geometry *);
    void rtcIntersect1(Scene *, Rays<1> *, Arguments *);
    void rtcIntersect16(const int *, Scene *, Rays<16> *, Arguments *);
}


// Nanoseconds of this thread's CPU, so that other programs on the machine count less.
double now()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

std::uint32_t number(std::ifstream &file)
{
    std::uint32_t value = 0;
    file.read(reinterpret_cast<char *>(&value), sizeof value);
    return value;
}

template <typename T>
std::vector<T> numbers(std::ifstream &file, std::size_t count)
{
    std::vector<T> values(count);
    file.read(reinterpret_cast<char *>(values.data()), count * sizeof(T));
    return values;
}

template <int N>
void cast(Scene *scene, const std::vector<float> &columns, bool coherent, std::vector<float> &times)
{
    Arguments arguments;
    arguments.flags = coherent ? 1U << 16 : 0;
    int valid[N];
    std::fill_n(valid, N, -1);
    const std::size_t count = times.size();
    for (std::size_t first = 0; first < count; first += N)
    {
        Rays<N> rays;
        for (auto axis = 0; axis < 3; ++axis)
        {
            std::memcpy(rays.origin[axis], &columns[axis * count + first], sizeof rays.origin[axis]);
            std::memcpy(rays.displacement[axis], &columns[(3 + axis) * count + first], sizeof rays.origin[axis]);
        }
        std::memset(rays.near, 0, sizeof rays.near);
        std::memset(rays.time, 0, sizeof rays.time);
        std::fill_n(rays.far, N, 1.0F);
        std::memset(rays.mask, -1, sizeof rays.mask);
        std::memset(rays.flags, 0, sizeof rays.flags);
        std::memset(rays.geometry, -1, sizeof rays.geometry);
        std::memset(rays.instance[0], -1, sizeof rays.instance[0]);
        if constexpr (N == 1)
        {
            rtcIntersect1(scene, &rays, &arguments);
        }
        else
        {
            rtcIntersect16(valid, scene, &rays, &arguments);
        }
        for (auto lane = 0; lane < N; ++lane)
        {
            times[first + lane] = rays.geometry[lane] == ~0U ? 2.0F : rays.far[lane];
        }
    }
}

int main(int, char **arguments)
{
    std::ifstream input(arguments[1], std::ios::binary);
    const auto vertices = numbers<float>(input, 3 * std::size_t(number(input)));
    const auto triangles = numbers<std::uint32_t>(input, 3 * std::size_t(number(input)));
    std::vector<std::vector<float>> frames(number(input));
    const auto count = number(input);
    for (auto &columns : frames)
    {
        columns = numbers<float>(input, 6 * std::size_t(count));
    }
    if (!input)
    {
        std::cerr << "the input ends early\n";
        return 1;
    }

    // A triangle mesh with buffers of vertices and indices, three numbers each; robust, built at medium quality.
    Device *device = rtcNewDevice("threads=1");
    Scene *scene = rtcNewScene(device);
    Geometry *mesh = rtcNewGeometry(device, 0);
    std::memcpy(
        rtcSetNewGeometryBuffer(mesh, 1, 0, 0x9003, 12, vertices.size() / 3),
        vertices.data(),
        vertices.size() * sizeof(float));
    std::memcpy(
        rtcSetNewGeometryBuffer(mesh, 0, 0, 0x5003, 12, triangles.size() / 3),
        triangles.data(),
        triangles.size() * sizeof(std::uint32_t));
    rtcCommitGeometry(mesh);
    rtcAttachGeometry(scene, mesh);
    rtcSetSceneFlags(scene, 4);
    rtcSetSceneBuildQuality(scene, 1);
    const auto begin = now();
    rtcCommitScene(scene);
    const auto build = now() - begin;

    std::vector<float> times(count);
    std::string command, path;
    while (std::cin >> command)
    {
        if (command == "build")
        {
            std::cout << build << std::endl;
            continue;
        }
        std::cin >> path;
        if (command == "answers")
        {
            std::ofstream(path, std::ios::binary)
                .write(reinterpret_cast<const char *>(times.data()), times.size() * sizeof(float));
            std::cout << 0 << std::endl;
            continue;
        }
        const auto &columns = frames.at(std::stoul(path));
        const auto start = now();
        if (command == "single")
        {
            cast<1>(scene, columns, false, times);
        }
        else
        {
            cast<16>(scene, columns, command == "coherent", times);
        }
        const auto time = now() - start;
        std::cout << time / count << std::endl;
    }
}
